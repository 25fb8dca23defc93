import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import { type Delivery } from '#fakes/deliveries.js';

const connections = 16;

/** Sends every delivery once, from a worker thread, so that sender and service do not share an event loop. */
export async function deliver(deliveries: readonly Delivery[]): Promise<void> {
  const worker = new Worker(new URL(import.meta.url), { workerData: deliveries });
  const [failed] = await once(worker, 'message');
  if (failed > 0) throw new Error(`${failed} deliveries were rejected`);
}

async function sendAll(deliveries: readonly Delivery[]): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  let next = 0;
  let failed = 0;
  const sendRest = async () => {
    for (let delivery = deliveries[next++]; delivery !== undefined; delivery = deliveries[next++])
      if ((await send(agent, delivery)).status >= 300) failed += 1;
  };
  await Promise.all(Array.from({ length: connections }, sendRest));
  agent.destroy();
  return failed;
}

/** Sends the delivery, and returns the status and the seconds after which the sender may repeat it. */
export async function send(
  agent: Agent,
  { targetUrl, headers, body }: Delivery,
): Promise<{ readonly status: number; readonly retryAfter: number }> {
  const sending = request(targetUrl, { method: 'POST', agent, headers: { ...headers } });
  sending.end(body);
  const [response] = await once(sending, 'response');
  response.resume();
  await once(response, 'end');
  return { status: response.statusCode, retryAfter: Number(response.headers['retry-after'] ?? 1) };
}

if (parentPort !== null) parentPort.postMessage(await sendAll(workerData as readonly Delivery[]));
