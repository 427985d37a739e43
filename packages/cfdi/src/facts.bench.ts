/** Speed on the fixtures, in MB of XML a second of processor time, beside saxes and the inflation of the same bytes. */
import { readdirSync, readFileSync } from 'node:fs';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { SaxesParser } from 'saxes';
import { createFactsReader, createRowsReader } from './index.ts';

const folder = new URL('testing/', import.meta.url);
const documents = readdirSync(folder).map((name) => readFileSync(new URL(name, folder)));
const deflated = documents.map((document) => deflateRawSync(document));
const megabytes = documents.reduce((total, { length }) => total + length, 0) / 1_000_000;
const facts = createFactsReader();
const rows = createRowsReader();

function readWithSaxes(document: Uint8Array) {
  let uuid = '';
  const parser = new SaxesParser({ xmlns: true });
  parser.on('opentag', ({ local, attributes }) => {
    if (local === 'TimbreFiscalDigital') uuid = attributes['UUID']?.value ?? '';
  });
  parser.write(new TextDecoder('utf-8', { fatal: true }).decode(document)).close();
  return uuid;
}

/** The best of five measurements, so that other programs on the machine count least. */
function measure(round: () => void, rounds = 1_000): number {
  const speeds = Array.from({ length: 5 }, () => {
    const before = process.cpuUsage();
    for (let at = 0; at < rounds; at += 1) round();
    const { user, system } = process.cpuUsage(before);
    return (megabytes * rounds) / ((user + system) / 1_000_000);
  });
  return Math.round(Math.max(...speeds));
}

const ways = {
  facts: () => {
    for (const document of documents) {
      facts.write(document);
      facts.end();
    }
  },
  rows: () => {
    for (const document of documents) {
      rows.write(document);
      rows.end();
    }
  },
  saxes: () => documents.forEach(readWithSaxes),
  inflate: () => {
    for (const bytes of deflated) inflateRawSync(bytes);
  },
};
console.log(JSON.stringify(Object.fromEntries(Object.entries(ways).map(([name, way]) => [name, measure(way)]))));
