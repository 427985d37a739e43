// One process at a time: a file that names its holder. A holder that is gone holds nothing.
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 100;

/** Runs `work` while no other process of this machine runs one under the same file. */
export async function exclusively(file, work) {
  mkdirSync(dirname(file), { recursive: true });
  while (!take(file)) {
    if (!dropDead(file)) await sleep(POLL_MS);
  }
  try {
    return await work();
  } finally {
    rmSync(file, { force: true });
  }
}

/** The file appears with its content or not at all: a link to one that is already written. */
function take(file) {
  const own = `${file}.${process.pid}`;
  writeFileSync(own, String(process.pid));
  try {
    linkSync(own, file);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    return false;
  } finally {
    rmSync(own, { force: true });
  }
}

/** Takes away the file of a holder that is gone. What another has taken meanwhile is put back. */
function dropDead(file) {
  if (isAlive(holderOf(file))) return false;
  const aside = `${file}.${process.pid}`;
  try {
    renameSync(file, aside);
    if (isAlive(holderOf(aside))) linkSync(aside, file);
  } catch (error) {
    if (error.code !== 'ENOENT' && error.code !== 'EEXIST') throw error;
  } finally {
    rmSync(aside, { force: true });
  }
  return true;
}

function holderOf(file) {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch {
    return 0;
  }
}

function isAlive(pid) {
  if (!pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
