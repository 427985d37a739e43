/** What a service asked for and that still waits for the taxpayer to log in. */
export type Pending =
  | { protocolo: 'saml'; servicio: string; regreso: string; relayState: string }
  | { protocolo: 'wsfed'; servicio: string; regreso: string; wctx: string }
  | { protocolo: 'oauth'; authz: string };
