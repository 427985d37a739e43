import { encode } from '../../web/http.ts';

/** Prefix of the names of the portal's own controls. */
export const MAIN = 'ctl00$MainContent$';

export type Choice = readonly [value: string, text: string];

/** A list as ASP.NET renders it; a disabled one is shown, but a browser does not send it. */
export function dropDown(name: string, id: string, choices: readonly Choice[], selected: string, isEnabled: boolean) {
  const options = choices.map(
    ([value, text]) =>
      `\t\t<option ${value === selected ? 'selected="selected" ' : ''}value="${value}">${encode(text)}</option>`,
  );
  return `<select name="${MAIN}${name}" id="${id}"${stateOf(isEnabled)}>
${options.join('\n')}

\t</select>`;
}

export function textBox(name: string, maxLength: number, value: string, isEnabled: boolean): string {
  const content = value === '' ? '' : ` value="${encode(value)}"`;
  return `<input name="${MAIN}${name}" type="text" maxlength="${maxLength}" id="ctl00_MainContent_${name}"${content}${stateOf(isEnabled)} />`;
}

/** The numbers of an interval as choices, text of two digits; the value is padded too when asked. */
export function numbers(from: number, to: number, isPadded = false): Choice[] {
  return Array.from({ length: to - from + 1 }, (_, i) => {
    const text = String(from + i).padStart(2, '0');
    return [isPadded ? text : String(from + i), text];
  });
}

function stateOf(isEnabled: boolean): string {
  return isEnabled ? ' class="form-control"' : ' disabled="disabled" class="aspNetDisabled form-control"';
}
