import { CfdiError } from '@acuse/contract';

/**
 * The statement that does the work found another version of the pass than the one that the call was let in with. The
 * pipeline reads it again; when it keeps changing, the caller is told to try again.
 */
export class StaleAccess extends CfdiError {
  constructor() {
    super('SALDO_NO_DISPONIBLE', { reintentar_en: 1 });
    this.name = 'PaseVencido';
  }
}
