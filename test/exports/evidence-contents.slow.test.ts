import { expect } from 'chai';
import { EventReceiver } from '#test/support/event-receiver.js';
import { Service } from '#test/support/service.js';
import { SurfaceWorld } from '#test/support/surfaces/world.js';
import { requestPacket, rowsOf, verify, withRows } from './packets.js';

/** What a statement shows without being content: names, how amounts were calculated, and what follows from the rest. */
const noContent = [
  'lines.dealName',
  'lines.planName',
  'lines.trace',
  'lines.actor',
  'lines.updatedAt',
  'lines.lines.dealName',
  'payable.lines.dealId',
  'payable.lines.dealName',
  'payable.lines.planId',
  'payable.lines.ruleName',
  'payable.draws.formula',
  'payable.pay.parts.rate.legs',
];

// biome-ignore lint/suspicious/noExplicitAny: values of any shape
type Loose = any;
interface Place {
  /** The names of the fields on the way, without the places in lists. */
  readonly name: string;
  readonly path: readonly (string | number)[];
}

/** The values of the row that are no objects, each with its place. Exchange rates end at their legs. */
function placesIn(value: Loose, path: readonly (string | number)[] = []): Place[] {
  const name = path.filter((step) => typeof step === 'string').join('.');
  if (typeof value !== 'object' || value === null || name.endsWith('legs')) return [{ name, path }];
  const entries: [string | number, Loose][] = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return entries.flatMap(([step, each]) => placesIn(each, [...path, step]));
}

function changedAt(value: Loose, [step, ...rest]: readonly (string | number)[]): Loose {
  if (step === undefined) {
    if (typeof value === 'object') return '1';
    return typeof value === 'string' ? `${value}1` : Number(value) + 1;
  }
  const copy = Array.isArray(value) ? [...value] : { ...value };
  copy[step] = changedAt(value[step], rest);
  return copy;
}

describe('the statements of a packet of evidence', function () {
  this.timeout(600_000);
  const service = Service.duringSuite({ settings: { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'pay@acme.test' } });
  let receiver: EventReceiver;

  after(() => receiver?.stop());

  it('have the hash of their content with every feature of pay, and one changed field is found', async () => {
    receiver = await EventReceiver.start();
    const world = await SurfaceWorld.create(service, receiver);
    const [auditor] = await world.api.saveReps({ name: 'Udo', role: 'auditor' });
    const days = { from: '2026-01-01', to: new Date().toISOString().slice(0, 10) };
    const { files } = await requestPacket(await world.as(auditor), days);
    const { code, output } = await verify(files);
    expect(code, output).to.equal(0);
    const statements: Loose[] = rowsOf(files, 'statements/statements');
    const places = new Map<string, Place & { readonly statementId: string }>();
    for (const { statementId, lines, payable } of statements)
      for (const place of placesIn({ lines, payable })) places.set(place.name, { ...place, statementId });
    expect([...places.keys()]).to.include.members([
      ...['lines.lines.delta', 'lines.sourcePeriod', 'lines.refundId', 'payable.draws.amount'],
      ...['payable.pay.amount', 'payable.pay.parts.rate.numerator', 'payable.totals.drawn'],
    ]);
    const passed: string[] = [];
    for (const { name, path, statementId } of places.values()) {
      const change = (row: Loose) => (row.statementId === statementId ? changedAt(row, path) : row);
      const result = await verify(withRows(files, 'statements/statements', change));
      if (result.code === 0) passed.push(name);
    }
    expect(passed).to.have.members(noContent);
  });
});
