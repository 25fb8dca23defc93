import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { type ApiClient } from '#test/support/api-client.js';
import { download, unzipped } from '#test/support/downloads.js';
import { finishedExport } from './finished-export.js';

type Files = ReadonlyMap<string, Buffer>;
export type Row = Readonly<Record<string, unknown>>;

/** Makes a packet and downloads it. */
export async function requestPacket(client: ApiClient, body: object, address = '/v1/evidence') {
  const { jobId } = await client.expect(202, 'POST', address, body);
  const job = await finishedExport(client, jobId);
  expect(job.status, job.error).to.equal('completed');
  const { bytes } = await download(client, job.file.path);
  return { job, bytes, files: unzipped(bytes) as Files };
}

export function textOf(files: Files, name: string): string {
  return (files.get(name) ?? expect.fail(`the packet has no ${name}`)).toString();
}

const partOf = (name: string) => `${name}-0001.ndjson`;

export function rowsOf(files: Files, name: string): Row[] {
  return textOf(files, partOf(name))
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

/** Runs the program of the first packet on the files. Returns the code of its end and what it prints. */
export async function verify(files: Files, program = files.get('verify.js') as Buffer) {
  const folder = mkdtempSync(path.join(tmpdir(), 'evidence-'));
  try {
    const packet = path.join(folder, 'packet');
    for (const [name, content] of files) {
      mkdirSync(path.dirname(path.join(packet, name)), { recursive: true });
      writeFileSync(path.join(packet, name), content);
    }
    writeFileSync(path.join(folder, 'check.js'), program);
    return await new Promise<{ readonly code: number; readonly output: string }>((resolve) => {
      execFile(process.execPath, [path.join(folder, 'check.js'), packet], { env: {} }, (error, out, problems) =>
        resolve({ code: error === null ? 0 : Number(error.code), output: `${out}${problems}` }),
      );
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The files with one changed byte in the one of the name. */
export function flipped(files: Files, name: string): Files {
  const content = Buffer.from(files.get(name) as Buffer);
  const at = content.length >> 1;
  content[at] = (content[at] as number) ^ 1;
  return new Map([...files, [name, content]]);
}

/** The files with changed rows, and a manifest with the hashes of what it then lists. */
// biome-ignore lint/suspicious/noExplicitAny: rows of any shape
export function withRows(files: Files, name: string, change: (row: any) => object): Files {
  const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex');
  const rows = rowsOf(files, name).map((row) => `${JSON.stringify(change(row))}\n`);
  const changed = Buffer.from(rows.join(''));
  const manifest = JSON.parse(textOf(files, 'manifest.json'));
  const listed = manifest.files.map((file: { readonly path: string }) =>
    file.path === partOf(name) ? { path: file.path, bytes: changed.length, sha256: sha256(changed) } : file,
  );
  const manifestFile = Buffer.from(`${JSON.stringify({ ...manifest, files: listed }, null, 2)}\n`);
  return new Map([
    ...files,
    [partOf(name), changed],
    ['manifest.json', manifestFile],
    ['manifest.sha256', Buffer.from(`${sha256(manifestFile)}  manifest.json\n`)],
  ]);
}
