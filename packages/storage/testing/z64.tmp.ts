import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { randomBytes } from 'node:crypto';
import { createZipWriter } from '../src/assemble/zip-writer.ts';
const [,, file, level, kind] = process.argv;
const w = createZipWriter(Number(level));
const out = pipeline(w.output, createWriteStream(file as string));
const chunk = kind === 'zeros' ? Buffer.alloc(1<<20, 'abc,') : randomBytes(1<<20);
async function* many(n: number) { for (let i=0;i<n;i++) { yield chunk; if (i%8===0) await new Promise(r=>setImmediate(r)); } }
console.log(await w.add('metadata.csv', many(4300)));
console.log(await w.add('originales/a.txt', many(10)));
console.log(await w.add('manifest.json', [Buffer.from('{}')]));
console.log(await w.finish()); await out;
