import { expect } from 'chai';
import { newId } from '#src/kernel/ids.js';
import { readActorNames } from '#src/reps/actor-names.js';
import { upsertReps } from '#src/reps/commands/upsert-reps.js';
import { duringSuite } from '#test/support/during-suite.js';
import { callerAs, SliceFixture } from '#test/support/slice-fixture.js';

describe('the names of actors', () => {
  const slice = duringSuite(() => SliceFixture.create());

  it('are those of people, of people with their agent, and of keys', async () => {
    const workspaceId = await slice.workspace();
    const admin = callerAs('admin', workspaceId);
    const people = { reps: [{ name: 'Mia', email: 'mia@x.io' }] };
    const { reps } = await slice.run(upsertReps, admin, { body: people });
    const repId = reps[0].id;
    const expected: Readonly<Record<string, string>> = {
      [`rep:${repId}`]: 'Mia',
      [`rep:${repId} via Claude`]: 'Mia via Claude',
      [`mcp:rep:${repId} via Claude`]: 'Mia via Claude',
      'api-key': 'API key',
      'mcp:api-key': 'API key',
      [`key:${newId()}`]: 'API key',
    };
    const actors = [...Object.keys(expected), 'orchestrator', null, undefined];
    const names = await slice.unitOfWork.run(admin, { lock: 'none', access: 'read' }, (trx) =>
      readActorNames(trx, workspaceId, actors),
    );
    expect(Object.fromEntries(names)).to.deep.equal(expected);
  });
});
