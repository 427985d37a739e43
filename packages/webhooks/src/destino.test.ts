import { describe, expect, it } from 'vitest';
import { readUrlDestino } from './destino.ts';

const PUBLICO = { http: false, redes: [] };

describe('the URL of a receiver', () => {
  it.each([
    ['https://hooks.example.com/acuse', 'https://hooks.example.com/acuse'],
    ['https://EXAMPLE.com:8443/a?b=c', 'https://example.com:8443/a?b=c'],
    ['https://8.8.8.8/', 'https://8.8.8.8/'],
    ['https://[2606:4700::1111]/', 'https://[2606:4700::1111]/'],
  ])('%s is taken', (text, url) => {
    expect(readUrlDestino(text, PUBLICO)).toEqual({ url });
  });

  it.each([
    ['http://example.com/', 'SIN_HTTPS'],
    ['ftp://example.com/', 'SIN_HTTPS'],
    ['file:///etc/passwd', 'SIN_HTTPS'],
    ['gopher://example.com/', 'SIN_HTTPS'],
    ['javascript:alert(1)', 'SIN_HTTPS'],
    ['ejemplo', 'ILEGIBLE'],
    ['https://', 'ILEGIBLE'],
    ['https://user:pass@example.com/', 'CON_CREDENCIALES'],
    ['https://169.254.169.254@example.com/', 'CON_CREDENCIALES'],
    ['https://example.com/#x', 'CON_FRAGMENTO'],
    [`https://example.com/${'a'.repeat(2_048)}`, 'DEMASIADO_LARGA'],
    ['https://10.0.0.1/', 'DIRECCION_NO_PERMITIDA'],
  ])('%s is refused: %s', (text, reparo) => {
    expect(readUrlDestino(text, PUBLICO)).toEqual({ reparo });
  });

  it('plain http and networks of one’s own are taken where the operator says so, and no others', () => {
    const propio = { http: true, redes: ['10.1.0.0/16', 'fd00::/8'] };
    expect(readUrlDestino('http://10.1.2.3:3000/x', propio)).toEqual({ url: 'http://10.1.2.3:3000/x' });
    expect(readUrlDestino('http://[fd12::1]/', propio)).toEqual({ url: 'http://[fd12::1]/' });
    expect(readUrlDestino('http://10.2.2.3/', propio)).toEqual({ reparo: 'DIRECCION_NO_PERMITIDA' });
    expect(() => readUrlDestino('http://10.2.2.3/', { http: true, redes: ['x'] })).toThrow(RangeError);
  });
});
