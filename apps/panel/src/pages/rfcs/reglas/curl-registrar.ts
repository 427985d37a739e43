/**
 * The call that associates an RFC with its key, for a shell. The key itself stays in a variable, out of the shell's
 * history.
 */
export function curlRegistrar(apiUrl: string, rfc: string): string {
  return [
    `curl -sS ${apiUrl}/api/v1/vault/rfc-registrar -A mi-erp/1.0 \\`,
    '  -H "Authorization: Bearer $ACUSE_API_KEY" -H "Content-Type: application/json" \\',
    `  -d '{"rfc":"${rfc}"}'`,
  ].join('\n');
}
