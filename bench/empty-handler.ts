import express from 'express';
import { type Listening, listen } from '#src/platform/http/listen.js';

/** An Express handler that returns an empty response: the cost of HTTP alone. */
export function listenEmpty(): Promise<Listening> {
  const empty = express();
  empty.use((_, response) => {
    response.json({ ok: true });
  });
  return listen(empty, { host: '127.0.0.1', port: 0, setting: 'PORT' });
}
