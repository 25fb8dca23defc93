import { expect } from 'chai';
import { Failure } from '#src/kernel/failure.js';
import { parseInput } from '#src/platform/operations/operation-dispatcher.js';
import { forAgents } from '#test/agents/access/oauth-fixture.js';
import { Service } from '#test/support/service.js';
import {
  bounded,
  callersOf,
  ending,
  forAll,
  inputWith,
  isPrinted,
  nameOf,
  partsOfBodies,
  sendWith,
} from './boundary-requests.js';
import { extremeValues, outsideValues } from './boundary-values.js';
import { type CallerName, ExampleWorld } from './example-world.js';

/** The slow file sends every value. */
describe('values at the bounds of every field', () => {
  const service = Service.duringSuite(forAgents);

  it('outside the bounds of days, instants and periods are rejected by the schema of every operation', () => {
    const wrong: string[] = [];
    let cases = 0;
    for (const field of bounded) {
      if (field.kind === 'number') continue;
      const last = field.path.filter((name) => name !== '0').at(-1) as string;
      for (const value of outsideValues[field.kind]) {
        cases += 1;
        const named = issuesOf(() => parseInput(field.operation, inputWith(field, value, null)));
        if (!named.includes(last)) wrong.push(`${nameOf(field)} = ${value.slice(0, 60)}: ${named.join()}`);
      }
    }
    expect(cases).to.be.at.least(1500);
    expect(wrong.slice(0, 20)).to.deep.equal([]);
  });

  it('at the bounds are never an error of the service', async () => {
    const world = await ExampleWorld.create(service);
    const cases = bounded.filter((field) => !ending.includes(field.operation.id) && !isPrinted(field));
    const wrong: string[] = [];
    await forAll(cases, async (field, index) => {
      const values = extremeValues[field.kind];
      const callers = callersOf[field.operation.access];
      const value = values[index % values.length];
      const caller = callers[index % callers.length] as CallerName;
      const { status, body } = await sendWith(field, value, world, caller);
      if (status >= 500) wrong.push(`${nameOf(field)} = ${String(value)} as ${caller}: ${status} ${body?.message}`);
    });
    expect(cases.length).to.be.at.least(120);
    expect(wrong).to.deep.equal([]);
  });

  it('that are missing, one or all of a body, are never an error of the service', async () => {
    const world = await ExampleWorld.create(service);
    const wrong: string[] = [];
    const cases = partsOfBodies.filter(({ operation }) => !ending.includes(operation.id));
    await forAll(cases, async (part) => {
      const caller = callersOf[part.operation.access].find((name) => name !== 'key') ?? 'key';
      const { status, body } = await sendWith(part, part.path.length === 0 ? {} : undefined, world, caller);
      if (status >= 500) wrong.push(`without ${nameOf(part)}: ${status} ${body?.message}`);
    });
    expect(cases.length).to.be.at.least(160);
    expect(wrong).to.deep.equal([]);
  });
});

/** The names in the paths of the invalid fields; none if the input is valid. */
function issuesOf(parse: () => unknown): string[] {
  try {
    parse();
    return [];
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const issues = (error.details?.['issues'] ?? []) as readonly { readonly path: string }[];
    return issues.flatMap(({ path }) => path.split(/[.[\]]+/));
  }
}
