import { writeSync } from 'node:fs';

/**
 * The places at which tests can make a process fail. src/app/failpoints.ts adds them to this type.
 * @public
 */
// biome-ignore lint/suspicious/noEmptyInterface: other files add the members
export interface Failpoints {}
export type FailpointName = keyof Failpoints;

/**
 * `kill` ends the process as `kill -9` does, `throw` fails the step, `delay` delays it, and `drop` waits until the
 * test has closed the connections of the process.
 */
type Fault = 'kill' | 'throw' | 'drop' | `delay:${number}`;

interface Armed {
  readonly name: string;
  readonly fault: Fault;
  hitsLeft: number;
}

/** Thrown by `throw`: no code of the service handles this error. */
class FailpointError extends Error {
  override readonly name = 'FailpointError';
}

const isArmable = process.env['NODE_ENV'] === 'test' && process.env['FAILPOINTS'] !== undefined;
const armed = isArmable ? parse(process.env['FAILPOINTS'] ?? '') : [];

/**
 * Does nothing unless a test has named the place in FAILPOINTS: `name@n=fault`, separated by commas, fires once at
 * the n-th pass. A test that started the process with an IPC channel may also add failpoints later, with messages of
 * that form.
 */
export const failpoint: (name: FailpointName) => Promise<void> | undefined = isArmable ? pass : () => undefined;

interface Order {
  readonly arm?: string;
  readonly disarm?: true;
}

if (isArmable)
  process.on('message', ({ arm = '', disarm }: Order) => {
    if (disarm === true) {
      armed.length = 0;
      process.send?.({ disarmed: true });
    }
    armed.push(...parse(arm));
  });

function parse(text: string): Armed[] {
  return [...text.matchAll(/([\w.]+)@(\d+)=(kill|throw|drop|delay:\d+)/g)].map(([, name, hit, fault]) => ({
    name: name as string,
    fault: fault as Fault,
    hitsLeft: Number(hit),
  }));
}

async function pass(name: FailpointName): Promise<void> {
  for (const point of armed) if (point.name === name) point.hitsLeft -= 1;
  const due = armed.findIndex((point) => point.name === name && point.hitsLeft <= 0);
  if (due === -1) return;
  const [{ fault }] = armed.splice(due, 1) as [Armed];
  // Written synchronously, since the next line may end the process.
  writeSync(2, `${JSON.stringify({ failpoint: name, fault })}\n`);
  await fail(name, fault);
}

async function fail(name: FailpointName, fault: Fault): Promise<void> {
  if (fault === 'kill') process.kill(process.pid, 'SIGKILL');
  if (fault === 'throw') throw new FailpointError(name);
  if (fault === 'drop') await resumed();
  else await new Promise((resolve) => setTimeout(resolve, fault === 'kill' ? 1000 : Number(fault.slice(6))));
}

function resumed(): Promise<void> {
  return new Promise((resolve) => {
    const listen = (message: unknown) => {
      if ((message as { resume?: true }).resume !== true) return;
      process.off('message', listen);
      resolve();
    };
    process.on('message', listen);
  });
}
