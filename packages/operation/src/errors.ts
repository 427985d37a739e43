import { CfdiError } from '@acuse/contract';

/**
 * The working statement found another version of the access snapshot than the one that let the call in. The pipeline
 * reads the snapshot again; when it keeps changing, the error asks the caller to try again.
 */
export class StaleAccess extends CfdiError {
  constructor() {
    super('SALDO_NO_DISPONIBLE', { reintentar_en: 1 });
    this.name = 'StaleAccess';
  }
}
