import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { OpenedParts } from '#src/app/opened-parts.js';
import { createLog } from '#src/platform/log.js';

describe('the parts of a process', () => {
  let events: string[];
  let opened: OpenedParts;
  beforeEach(() => {
    events = [];
    opened = new OpenedParts(createLog('silent'));
  });

  const open = (name: string, during: () => Promise<unknown> = nextTurn) =>
    opened.open(
      async () => {
        await during();
        events.push(`opened ${name}`);
        return name;
      },
      async (part) => {
        await nextTurn();
        events.push(`closed ${part}`);
      },
    );

  it('are closed once, in the reverse order', async () => {
    for (const name of ['database', 'queue', 'server']) await open(name);
    await Promise.all([opened.close(), opened.close()]);
    expect(events.slice(3)).to.deep.equal(['closed server', 'closed queue', 'closed database']);
  });

  it('are closed when the part that is being opened is open, and no further one is', async () => {
    await open('database');
    let continueOpening: (value?: unknown) => void = () => undefined;
    const starting = open('queue', () => new Promise((resolve) => (continueOpening = resolve)));
    const closing = opened.close();
    await nextTurn();
    expect(events).to.deep.equal(['opened database']);
    continueOpening();
    expect(await starting.catch((error: Error) => error.message)).to.match(/stops before its start/);
    await closing;
    expect(await open('server').catch((error: Error) => error.message)).to.match(/stops before its start/);
    expect(events).to.deep.equal(['opened database', 'opened queue', 'closed queue', 'closed database']);
  });

  it('are closed although one cannot be opened and another cannot be closed', async () => {
    await open('database');
    await opened.open(nextTurn, () => Promise.reject(new Error('cannot be closed')));
    const failed = open('queue', () => Promise.reject(new Error('cannot be opened'))).catch((error: Error) => error);
    await opened.close();
    expect(await failed).to.include({ message: 'cannot be opened' });
    expect(events).to.deep.equal(['opened database', 'closed database']);
  });
});
