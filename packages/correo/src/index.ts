export { createMailer, type Envio, type FallaSmtp, type Mailer } from './smtp.ts';
export { type Correo, contenidoDe } from './textos.ts';
