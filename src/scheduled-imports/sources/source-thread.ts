import { createHash } from 'node:crypto';
import { serveThread } from '../../platform/threads/serve-thread.js';
import { type ReadFile, readFile } from '../file-columns.js';
import { openSource } from './open-source.js';
import { type FileSource, unreachable } from './source.js';
import { type SourceTask } from './source-threads.js';

let source: FileSource | undefined;
let content: Buffer = Buffer.alloc(0);
let file: ReadFile | undefined;

/** The script of the worker threads that read sources. Between the tasks of its work a thread keeps what it has read. */
serveThread(async ([message]) => {
  const task = message as SourceTask;
  if ('open' in task) source = await openSource(...task.open);
  if (source === undefined) throw unreachable('the connection was lost');
  if ('open' in task) return JSON.stringify(source.hostKey);
  if ('list' in task) return JSON.stringify(await source.list());
  if ('download' in task) {
    content = await source.read(task.download, task.maxBytes);
    return JSON.stringify({ bytes: content.length, hash: createHash('sha256').update(content).digest('hex') });
  }
  if ('columns' in task) {
    file = await readFile(content, task.columns);
    return JSON.stringify(file.sample);
  }
  return (file as ReadFile).csv;
});
