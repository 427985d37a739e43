import { createHash } from 'node:crypto';
import { type ManifestSigner, renderFirma, type SignedFacts, signedText } from '@acuse/core';
import type { EntryWritten, ZipWriter } from './zip-writer.ts';

/**
 * Writes `firma.json` behind the manifest: hashes of the manifest and of every byte before, signed when there is a key.
 * Stored, since deflate has bits that change nothing and would escape a check of its content.
 */
export async function sealEntry(
  writer: ZipWriter,
  manifest: Buffer,
  signer: ManifestSigner | undefined,
): Promise<EntryWritten> {
  const { bytes, sha256 } = await writer.soFar();
  const manifestSha256 = createHash('sha256').update(manifest).digest('hex');
  const hechos: SignedFacts = { manifestSha256, prefijo: { bytes, sha256 } };
  const firma = signer && { kid: signer.kid, bytes: signer.sign(signedText(signer.kid, hechos)) };
  return writer.addStored('firma.json', [renderFirma(hechos, firma)]);
}
