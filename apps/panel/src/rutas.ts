import { FEATURES } from './features.ts';
import { twoStepsPage } from './pages/cuenta/dos-pasos.tsx';
import { forgottenPage } from './pages/cuenta/olvido.tsx';
import { passwordPage, resetPage } from './pages/cuenta/password.tsx';
import { profilePage } from './pages/cuenta/perfil.tsx';
import { signUpPage } from './pages/cuenta/registro.tsx';
import { signInPage } from './pages/cuenta/sign-in.tsx';
import { myAccountsPage } from './pages/equipo/cuentas.tsx';
import { teamPage } from './pages/equipo/equipo.tsx';
import { acceptPage, invitationPage } from './pages/equipo/invitacion.tsx';
import { memberPage } from './pages/equipo/persona.tsx';
import { homePage } from './pages/inicio/inicio.tsx';
import { landingPage } from './pages/inicio/portada.tsx';
import { auditPage } from './pages/operador/auditoria.tsx';
import { captchasPage } from './pages/operador/captchas.tsx';
import { COLAS, queuesPage } from './pages/operador/colas.tsx';
import { accountPage } from './pages/operador/cuenta.tsx';
import { accountsPage } from './pages/operador/cuentas.tsx';
import { operatorPage } from './pages/operador/inicio.tsx';
import { paymentPage, paymentsPage } from './pages/operador/pagos.tsx';
import { secretsPage } from './pages/operador/secretos.tsx';
import { credentialsPage } from './pages/rfcs/credenciales.tsx';
import { rfcPage } from './pages/rfcs/detalle.tsx';
import { addressesPage } from './pages/rfcs/direcciones.tsx';
import { rfcsPage } from './pages/rfcs/lista.tsx';
import { keyPage } from './pages/rfcs/llave.tsx';
import { newKeyPage } from './pages/rfcs/llave-nueva.tsx';
import { newRfcPage } from './pages/rfcs/nuevo.tsx';
import { operationsPage } from './pages/rfcs/operaciones.tsx';
import { buyPage } from './pages/saldo/buy.tsx';
import { purchasePage, purchasesPage } from './pages/saldo/compras.tsx';
import { ledgerPage } from './pages/saldo/libro.tsx';
import { balancePage } from './pages/saldo/resumen.tsx';
import { sandboxPage } from './pages/sandbox/operacion.tsx';
import { solicitudPage } from './pages/solicitudes/detalle.tsx';
import { solicitudesPage } from './pages/solicitudes/lista.tsx';
import { newSolicitudPage } from './pages/solicitudes/nueva.tsx';
import { packagePage } from './pages/solicitudes/paquete.tsx';
import type { Mount, Ruta } from './paginas.ts';

/** The pages of the core. */
const PAGINAS = [
  landingPage,
  homePage,
  signUpPage,
  signInPage,
  forgottenPage,
  resetPage,
  passwordPage,
  profilePage,
  twoStepsPage,
  myAccountsPage,
  invitationPage,
  acceptPage,
  teamPage,
  memberPage,
  rfcsPage,
  newRfcPage,
  rfcPage,
  keyPage,
  newKeyPage,
  credentialsPage,
  operationsPage,
  addressesPage,
  balancePage,
  ledgerPage,
  buyPage,
  purchasesPage,
  purchasePage,
  solicitudesPage,
  newSolicitudPage,
  solicitudPage,
  packagePage,
  sandboxPage,
  operatorPage,
  accountsPage,
  accountPage,
  paymentsPage,
  paymentPage,
  secretsPage,
  captchasPage,
  auditPage,
  queuesPage,
];

/**
 * Every address of the panel; of two that fit, the first one answers: a feature's `/rfcs/importar` before `/rfcs/:rfc`.
 */
export const RUTAS: readonly Ruta[] = [...FEATURES, ...PAGINAS].flatMap(({ rutas }) => rutas);

/** Every application that is mounted whole. */
export const MOUNTS: readonly Mount[] = [COLAS];
