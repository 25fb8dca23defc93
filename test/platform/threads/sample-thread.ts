import { Failure } from '#src/kernel/failure.js';
import { serveThread } from '#src/platform/threads/serve-thread.js';

serveThread(async ([what, ...parts], request) => {
  if (what === 'fail') throw new Failure('rep_not_found', 'no');
  if (what === 'throw') throw new Error('oops');
  if (what === 'wait') Atomics.wait(parts[0] as Int32Array, 0, 0);
  if (what === 'request') return JSON.stringify(await Promise.all(parts.map(request)));
  const filled: unknown[] = [];
  while (what === 'loop' || what === 'fill') if (what === 'fill') filled.push(Array(10_000).fill(filled.length));
  return JSON.stringify(parts);
});
