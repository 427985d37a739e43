import { describe, expect, it } from 'vitest';
import { createDirecciones, HOSTS_SAT } from './direcciones.ts';

const portal = 'portalcfdi.facturaelectronica.sat.gob.mx';
const login = 'cfdiau.sat.gob.mx';
const no = { name: 'SatError', motivo: 'HOST_NO_PERMITIDO', clase: 'permanente' };

describe('with the real hosts', () => {
  const { locate, resolve } = createDirecciones({ otrosHosts: ['otro.example'] });

  it('goes to them over https', () => {
    expect(locate({ host: login, path: '/nidp/app?x=1' })).toEqual({
      origin: 'https://cfdiau.sat.gob.mx',
      path: '/nidp/app?x=1',
    });
    expect(locate({ host: 'otro.example', path: '/' }).origin).toBe('https://otro.example');
  });

  it.each([
    ['https://cfdiau.sat.gob.mx/nidp/app?id=1#x', undefined, { host: login, path: '/nidp/app?id=1' }],
    ['http://cfdiau.sat.gob.mx/nidp', undefined, { host: login, path: '/nidp' }],
    ['//cfdiau.sat.gob.mx/nidp', '/Consulta.aspx', { host: login, path: '/nidp' }],
    ['https://CFDIAU.SAT.GOB.MX/nidp', undefined, { host: login, path: '/nidp' }],
    ['https://cfdiau.sat.gob.mx:443/nidp', undefined, { host: login, path: '/nidp' }],
    ['Recupera.aspx?a=b', '/dir/Consulta.aspx', { host: portal, path: '/dir/Recupera.aspx?a=b' }],
    ['/logout', '/dir/Consulta.aspx', { host: portal, path: '/logout' }],
    ['../../../x', '/dir/Consulta.aspx', { host: portal, path: '/x' }],
    ['?b=c', '/dir/Consulta.aspx?a=1', { host: portal, path: '/dir/Consulta.aspx?b=c' }],
  ])('reads %s', (url, path, expected) => {
    expect(resolve(url, path === undefined ? undefined : { host: portal, path })).toEqual(expected);
  });

  it.each([
    'https://evil.example/',
    '//evil.example/x',
    '\\\\evil.example\\x',
    'https://cfdiau.sat.gob.mx.evil.example/',
    'https://evil.example/cfdiau.sat.gob.mx',
    'https://cfdiau.sat.gob.mx@evil.example/',
    'https://user@cfdiau.sat.gob.mx/',
    'https://:pass@cfdiau.sat.gob.mx/',
    'https://cfdiau.sat.gob.mx:8443/',
    'http://127.0.0.1/',
    'http://[::1]/',
    'http://169.254.169.254/latest/meta-data',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:text/html,x',
    'ftp://cfdiau.sat.gob.mx/',
    'http://',
  ])('refuses %s', (url) => {
    expect(() => resolve(url, { host: portal, path: '/dir/x' })).toThrow(expect.objectContaining(no));
  });

  it('refuses a host or a path that is none', () => {
    expect(() => locate({ host: 'evil.example', path: '/' })).toThrow(expect.objectContaining(no));
    expect(() => locate({ host: login, path: '@evil.example/' })).toThrow(expect.objectContaining(no));
    expect(() => locate({ host: 'constructor', path: '/' })).toThrow(expect.objectContaining(no));
    expect(() => resolve('/relative')).toThrow(expect.objectContaining(no));
  });
});

describe('with a base address', () => {
  const { locate, resolve } = createDirecciones({
    baseUrl: 'http://127.0.0.1:8080/sat/',
    baseUrls: { 'ptsc32d.clouda.sat.gob.mx': 'https://otro.example:8443' },
  });

  it('puts the first label of the host in front of the path', () => {
    expect(locate({ host: login, path: '/nidp' })).toEqual({
      origin: 'http://127.0.0.1:8080',
      path: '/sat/cfdiau/nidp',
    });
    expect(locate({ host: 'ptsc32d.clouda.sat.gob.mx', path: '/x' })).toEqual({
      origin: 'https://otro.example:8443',
      path: '/x',
    });
  });

  it('tells every host apart', () => {
    const hosts = Object.keys(HOSTS_SAT);
    const places = hosts.map((host) => JSON.stringify(locate({ host, path: '/' })));
    expect(new Set(places).size).toBe(hosts.length);
  });

  it.each([
    ['http://127.0.0.1:8080/sat/cfdiau/nidp?x', { host: login, path: '/nidp?x' }],
    ['http://127.0.0.1:8080/sat/cfdiau', { host: login, path: '/' }],
    ['/sat/cfdiau/nidp', { host: login, path: '/nidp' }],
    ['https://cfdiau.sat.gob.mx/nidp', { host: login, path: '/nidp' }],
    ['https://otro.example:8443/y', { host: 'ptsc32d.clouda.sat.gob.mx', path: '/y' }],
    ['/nidp', { host: portal, path: '/nidp' }],
    ['otra.aspx', { host: portal, path: '/dir/otra.aspx' }],
  ])('reads %s', (url, expected) => {
    expect(resolve(url, { host: portal, path: '/dir/x.aspx' })).toEqual(expected);
  });

  it.each([
    'http://127.0.0.1:8080/otra',
    'http://127.0.0.1:8080/sat/cfdiauX/nidp',
    'http://127.0.0.1:9090/sat/cfdiau/',
    'https://127.0.0.1:8080/sat/cfdiau/',
  ])('refuses %s', (url) => {
    expect(() => resolve(url, { host: portal, path: '/' })).toThrow(expect.objectContaining(no));
  });
});
