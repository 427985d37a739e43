#!/usr/bin/env node
// The entry of every npm script. Plain Node without dependencies: on a fresh clone it is what installs them.
// A version of Node too old for the rest must still be able to read this file and say so.
import { readFileSync } from 'node:fs';

const root = new URL('../../../', import.meta.url);
const [, major, minor] = /(\d+)\.(\d+)/.exec(
  JSON.parse(readFileSync(new URL('package.json', root), 'utf8')).engines.node,
);
const [ownMajor, ownMinor] = process.versions.node.split('.').map(Number);

if (ownMajor < Number(major) || (ownMajor === Number(major) && ownMinor < Number(minor))) {
  console.error(
    `Acuse necesita Node.js ${major}.${minor} o posterior y este es ${process.versions.node}. ` +
      'Instale una versión más reciente (https://nodejs.org) y repita la orden.',
  );
  process.exitCode = 1;
} else {
  import('./commands.mjs').then(({ main }) => main(process.argv.slice(2)));
}
