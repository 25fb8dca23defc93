import { expect } from 'chai';
import { operations } from '#src/operations.js';
import { type AnyOperation } from '#src/platform/operations/operation.js';
import { forAgents } from '#test/agents/access/oauth-fixture.js';
import { FetchClient } from '#test/mcp/mcp-fixture.js';
import { Service } from '#test/support/service.js';
import { bounded, callersOf, ending, forAll, isPrinted, nameOf, sendWith } from './boundary-requests.js';
import { extremeValues, outsideValues } from './boundary-values.js';
import { type BoundedField, type BoundedKind } from './declared-fields.js';
import { type CallerName, ExampleWorld } from './example-world.js';

/** Where a file is printed, only the first and the last value are tried. */
function extremesFor(field: BoundedField): readonly unknown[] {
  const values = extremeValues[field.kind];
  return isPrinted(field) ? [values[0], values.at(-1)] : values;
}

describe('values at their bounds', () => {
  const service = Service.duringSuite(forAgents);
  let world: ExampleWorld;
  before(async () => {
    world = await ExampleWorld.create(service);
  });

  it('are found in the declarations', () => {
    const count = (kind: BoundedKind) => bounded.filter((field) => field.kind === kind).length;
    expect(count('day'), 'days').to.be.at.least(25);
    expect(count('instant'), 'instants').to.be.at.least(10);
    expect(count('day or instant'), 'days or instants').to.be.at.least(4);
    expect(count('period'), 'periods').to.be.at.least(25);
    expect(count('number'), 'numbers').to.be.at.least(60);
  });

  it('outside the bounds of days, instants and periods are rejected with 400 in every field of every operation', async () => {
    const cases = bounded.flatMap((field) =>
      field.kind === 'number' ? [] : outsideValues[field.kind].map((value) => ({ field, value })),
    );
    const wrong: string[] = [];
    await forAll(cases, async ({ field, value }) => {
      const { status, body } = await sendWith(field, value, world, 'admin');
      const issues: readonly { path: string }[] = body?.details?.issues ?? [];
      const last = field.path.filter((name) => name !== '0').at(-1) as string;
      const isNamed = issues.some(({ path }) => path.split(/[.[\]]+/).includes(last));
      if (status !== 400 || !isNamed)
        wrong.push(`${nameOf(field)} = ${value.slice(0, 60)}: ${status} ${JSON.stringify(body).slice(0, 200)}`);
    });
    expect(wrong.slice(0, 20)).to.deep.equal([]);
  });

  it('are accepted or rejected, and never an error of the service, for every caller', async () => {
    const cases = bounded
      .filter(({ operation }) => !ending.includes(operation.id))
      .flatMap((field) => extremesFor(field).map((value) => ({ field, value })));
    const wrong: string[] = [];
    await forAll(cases, async ({ field, value }, index) => {
      const callers = callersOf[field.operation.access];
      const caller = callers[index % callers.length] as CallerName;
      const { status, body } = await sendWith(field, value, world, caller);
      if (status >= 500)
        wrong.push(`${nameOf(field)} = ${String(value)} as ${caller}: ${status} ${JSON.stringify(body).slice(0, 200)}`);
    });
    expect(wrong.slice(0, 20)).to.deep.equal([]);
  });

  it('are rejected as arguments of every tool', async () => {
    await world.recreate();
    const agents = [world.tokens.agent, world.tokens.repAgent].map((token) => new FetchClient(service.url, token));
    const examples = new Map<string, object>();
    for (const { name, description } of await (agents[0] as FetchClient).tools()) {
      const example = /^Example: (.+)$/m.exec(description)?.[1];
      examples.set(name, example === undefined ? {} : world.fill(JSON.parse(example)));
    }
    const cases = bounded
      .filter(({ operation, path }) => operation.tool !== undefined && path.length === 1 && isArgument(operation, path))
      .flatMap((field) => {
        const numbers: readonly unknown[] = extremeValues.number.filter((value) => typeof value === 'number');
        return (field.kind === 'number' ? numbers : outsideValues[field.kind]).map((value) => ({ field, value }));
      });
    const wrong: string[] = [];
    await forAll(cases, async ({ field, value }, index) => {
      const name = (field.operation as { tool: { name: string } }).tool.name;
      const given = { ...examples.get(name), [field.path[0] as string]: value };
      const result = await (agents[index % agents.length] as FetchClient).call(name, given);
      const text = JSON.stringify(result);
      if (text.includes('internal_error') || (field.kind !== 'number' && result.isError !== true))
        wrong.push(`${name} ${field.path[0]} = ${String(value).slice(0, 60)}: ${text.slice(0, 200)}`);
    });
    expect(cases.length).to.be.at.least(200);
    expect(wrong.slice(0, 20)).to.deep.equal([]);
  });

  it('are rows of imports that are accepted or rejected', async () => {
    await world.recreate();
    const values = [...outsideValues['day or instant'], ...outsideValues.period, ...extremeValues['day or instant']];
    const wrong: string[] = [];
    for (const { id, path, example } of operations) {
      const csv = world.fill(example).uploads?.['text/csv'];
      if (typeof csv !== 'string') continue;
      const [head = '', row = ''] = csv.split('\n');
      const rows = head
        .split(',')
        .flatMap((_, column) =>
          values.map((value) => row.split(',').map((cell, at) => (at === column ? `"${value}"` : cell))),
        );
      const sent = [head, ...rows.map((cells) => cells.join(','))].join('\n');
      const { status, body } = await world.api.send('POST', path, sent, { 'Content-Type': 'text/csv' });
      if (status >= 500) wrong.push(`${id}: ${status} ${JSON.stringify(body)}`);
    }
    expect(wrong).to.deep.equal([]);
  });

  it('are days on which deals are calculated', async () => {
    const { api, workspaceId } = await service.workspace();
    const closes = (operator: string, value: unknown) => ({ field: 'closeDate', fieldType: 'date', operator, value });
    const tier = { tierIndex: 0, minThreshold: 0, rate: 0.1 };
    const [ann] = await api.saveReps('Ann');
    const rules = [
      { name: 'Month before', measure: 'amount', conditions: [closes('in_period', 'last_month')], tiers: [tier] },
      { name: 'Ten years', measure: 'amount', conditions: [closes('in_last_n_days', 3660)], tiers: [tier] },
      { name: 'Yearly', measure: 'amount', attainmentPeriod: 'annual', tiers: [tier] },
    ];
    await api.createPlan({ name: 'Bounds', config: { rules } }, [ann]);
    for (const [index, closeDate] of extremeValues['day or instant'].entries())
      await api.expect(201, 'PUT', `/v1/deals/B-${index}`, { amount: 1000, closeDate, ownerId: 'ann' });
    for (const field of ['1900-01-01T00:00:00+14:00', '9999-12-31T23:59:59-12:00'])
      await api.expect(201, 'PUT', `/v1/deals/F-${field.slice(0, 4)}`, {
        fields: { closed_at: field },
        ownerId: 'ann',
      });
    await api.expect(200, 'POST', '/v1/commissions/recalculate', {});
    await service.waitForCalculations(workspaceId);
    const parked = 'select last_error from lanes where workspace_id = $1 and parked_at is not null';
    expect(await service.sql(parked, workspaceId)).to.deep.equal([]);
    for (const period of ['1900-01', '2199-12'])
      expect((await api.expect(200, 'GET', `/v1/commissions?period=${period}`)).totals.total).to.be.above(0);
    await service.expectSoundLedger(workspaceId);
  });

  const isArgument = ({ tool }: AnyOperation, [name = '']: readonly string[]) => {
    const argument = tool?.arguments[name];
    return argument !== undefined && !(typeof argument === 'object' && 'always' in argument);
  };
});
