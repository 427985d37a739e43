import { createHash, randomBytes } from 'node:crypto';
import { type Autor, contextoDeSegundoFactor } from '@acuse/core';
import { Secret, TOTP } from 'otpauth';
import type { PanelDeps } from '../deps.ts';

/** RFC 6238 as every authenticator app takes it: SHA-1, 6 digits, 30 seconds. */
const FORMA = { algorithm: 'SHA1', digits: 6, period: 30 } as const;
/** RFC 4226, section 4, R6. */
const SECRET_BYTES = 20;
/** Steps before and after ours that are taken too, since clocks differ (RFC 6238, section 5.2). */
const WINDOW = 1;
const CODIGOS = 10;
const CODIGO_BYTES = 10;

/** A secret that an app has to be given. */
export interface Propuesta {
  /** For the app, by hand, in groups of four. */
  readonly clave: string;
  /** The same as an address, for the QR code. */
  readonly uri: string;
}

type Deps = Pick<PanelDeps, 'segundosFactores' | 'sellado' | 'now'>;
type Dueno = { readonly id: string; readonly email: string };

function totpOf(secreto: Buffer, email: string): TOTP {
  const secret = new Secret({ buffer: new Uint8Array(secreto).buffer });
  return new TOTP({ issuer: 'Acuse', label: email, secret, ...FORMA });
}

function pasoDe(totp: TOTP, codigo: string, now: Date): number | null {
  const delta = totp.validate({ token: codigo, window: WINDOW, timestamp: now.getTime() });
  return delta === null ? null : Math.floor(now.getTime() / 1_000 / FORMA.period) + delta;
}

/** Makes a secret that is in force once a code of it was typed. False when one is in force already. */
export function proposeSecreto({ segundosFactores, sellado }: Deps, { id }: Dueno): Promise<boolean> {
  return segundosFactores.propose(id, sellado.seal(randomBytes(SECRET_BYTES), contextoDeSegundoFactor(id)));
}

/** The secret that waits to be confirmed, or null. */
export async function readProposal({ segundosFactores, sellado }: Deps, dueno: Dueno): Promise<Propuesta | null> {
  const found = await segundosFactores.find(dueno.id);
  const secreto = found?.confirmadoEn === null ? sellado.open(found.secreto, contextoDeSegundoFactor(dueno.id)) : null;
  if (!secreto) return null;
  const totp = totpOf(secreto, dueno.email);
  return { clave: totp.secret.base32.replace(/.{4}(?=.)/g, '$& '), uri: totp.toString() };
}

/** Puts the proposed secret in force, given a code of it, and ends the sessions but `salvo`. Recovery codes, or null. */
export async function confirmSecreto(
  { segundosFactores, sellado, now }: Deps,
  dueno: Dueno,
  codigo: string,
  autor: Autor & { readonly salvo: Buffer },
): Promise<readonly string[] | null> {
  const found = await segundosFactores.find(dueno.id);
  const secreto = found?.confirmadoEn === null ? sellado.open(found.secreto, contextoDeSegundoFactor(dueno.id)) : null;
  if (!found || !secreto) return null;
  const paso = pasoDe(totpOf(secreto, dueno.email), digitsOf(codigo), now());
  if (paso === null) return null;
  const codigos = newCodigos();
  const huellas = codigos.map((each) => huellaDe(dueno.id, each));
  const isDone = await segundosFactores.confirm({
    usuarioId: dueno.id,
    secreto: found.secreto,
    paso,
    huellas,
    ...autor,
  });
  return isDone ? codigos : null;
}

/** Replaces the recovery codes. */
export async function renewCodigos(
  { segundosFactores }: Deps,
  { id }: Dueno,
  autor: Autor,
): Promise<readonly string[]> {
  const codigos = newCodigos();
  await segundosFactores.replaceCodigos(
    id,
    codigos.map((each) => huellaDe(id, each)),
    autor,
  );
  return codigos;
}

/** Takes a code of the app, or a recovery code; either is good once. */
export async function takeSegundoFactor(
  { segundosFactores, sellado, now }: Deps,
  dueno: Dueno,
  typed: string,
): Promise<'app' | 'recuperacion' | null> {
  const found = await segundosFactores.find(dueno.id);
  if (!found?.confirmadoEn) return null;
  const digits = digitsOf(typed);
  if (!/^\d{6}$/.test(digits))
    return (await segundosFactores.takeCodigo(dueno.id, huellaDe(dueno.id, typed))) ? 'recuperacion' : null;
  const secreto = sellado.open(found.secreto, contextoDeSegundoFactor(dueno.id));
  const paso = secreto ? pasoDe(totpOf(secreto, dueno.email), digits, now()) : null;
  return paso !== null && (await segundosFactores.takePaso(dueno.id, paso)) ? 'app' : null;
}

const digitsOf = (typed: string) => typed.replace(/[\s-]/g, '');

/** 80 random bits each, in base 32 (RFC 4648), in groups of four. */
function newCodigos(): string[] {
  return Array.from({ length: CODIGOS }, () =>
    new Secret({ buffer: new Uint8Array(randomBytes(CODIGO_BYTES)).buffer }).base32.replace(/.{4}(?=.)/g, '$&-'),
  );
}

function huellaDe(usuarioId: string, codigo: string): Buffer {
  return createHash('sha256')
    .update(`${usuarioId}\n${digitsOf(codigo).toUpperCase()}`)
    .digest();
}
