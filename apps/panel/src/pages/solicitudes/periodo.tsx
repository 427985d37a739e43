import { Fecha } from '../../components/fecha.tsx';

interface PeriodoProps {
  /** Calendar days, `yyyy-MM-dd`. */
  readonly desde: string;
  readonly hasta: string;
}

/** The asked period in words. */
export function Periodo({ desde, hasta }: PeriodoProps) {
  const day = (text: string) => <Fecha valor={new Date(`${text}T00:00:00Z`)} formato="calendario" />;
  if (desde === hasta) return <>del {day(desde)}</>;
  return (
    <>
      del {day(desde)} al {day(hasta)}
    </>
  );
}
