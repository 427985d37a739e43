/** Encodes text as ASP.NET's HtmlEncode does: the five signs of markup, and U+00A0 to U+00FF as decimal references. */
export function encode(text: string): string {
  return text.replace(/[&<>"'\u00a0-\u00ff]/g, (sign) => NAMED[sign] ?? `&#${sign.charCodeAt(0)};`);
}

const NAMED: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** An HTML answer that no cache may keep. */
export function htmlResponse(body: string, status = 200, headers: Record<string, string> = {}): Response {
  return new Response(body, {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache, no-store',
      ...headers,
    },
  });
}

/** What a host says that has forgotten a browser. */
export function loggedOutPage(): Response {
  return htmlResponse('<html><head><title>SAT</title></head><body><p>Ha cerrado su sesión.</p></body></html>');
}

/** A page whose script goes on to an address at once. */
export function scriptedMove(address: string): Response {
  return htmlResponse(
    `<html><head><title>SAT</title></head><body><script>top.location.href='${address}';</script></body></html>`,
  );
}

/** A hidden input; without value attribute when the value is undefined, as ASP.NET renders an empty one. */
export function hiddenInput(name: string, id: string, value?: string): string {
  const attribute = value === undefined ? '' : ` value="${encode(value)}"`;
  return `<input type="hidden" name="${name}" id="${id}"${attribute} />`;
}

/** A page with one form that a browser's script sends at once; fields are hidden inputs without id. */
export function autoSubmittedForm(title: string, action: string, fields: Readonly<Record<string, string>>): string {
  const inputs = Object.entries(fields).map(
    ([name, value]) => `    <input type="hidden" name="${name}" value="${encode(value)}"/>`,
  );
  return `<html>
<head>
<title>${title}</title>
<meta http-equiv="expires" content="0">
</head>
<body>
<form method="POST" enctype="application/x-www-form-urlencoded" action="${encode(action)}">
${inputs.join('\n')}
</form>
<script language="JavaScript">
    <!--
        document.forms[0].submit();
    -->
</script>
</body>
</html>
`;
}
