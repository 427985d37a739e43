import { Aviso } from '../../components/aviso.tsx';
import { formatCreditos } from '../../components/formato.ts';

interface PocoSaldoProps {
  readonly saldo: number;
  /** Credits below which one is told; 0 never. */
  readonly umbral: number;
}

/** Tells that few credits are left, or none; nothing while there are enough. */
export function PocoSaldo({ saldo, umbral }: PocoSaldoProps) {
  if (saldo === 0)
    return (
      <Aviso tono="error" titulo="No quedan créditos">
        Las llamadas con costo contestan 1004 hasta que <a href="/saldo/comprar">compre créditos</a>. Lo que ya está en
        proceso sigue: se cobró al pedirlo.
      </Aviso>
    );
  if (saldo >= umbral) return null;
  return (
    <Aviso tono="alerta" titulo={`${saldo === 1 ? 'Queda' : 'Quedan'} ${formatCreditos(saldo)}`}>
      Sin créditos, las llamadas con costo contestan 1004. <a href="/saldo/comprar">Compre créditos</a> antes de que se
      terminen.
    </Aviso>
  );
}
