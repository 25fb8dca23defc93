import { expect } from 'chai';
import { newId } from '#src/kernel/ids.js';
import { readActorNames } from '#src/people/reps/actor-names.js';
import { OfflineWorkspace } from '#test/support/offline-workspace.js';

describe('the names of actors', () => {
  it('are those of people, of people with their agent, and of keys', async () => {
    const workspace = await OfflineWorkspace.create();
    const [repId] = await workspace.addReps('Mia');
    const expected: Readonly<Record<string, string>> = {
      [`rep:${repId}`]: 'Mia',
      [`rep:${repId} via Claude`]: 'Mia via Claude',
      [`mcp:rep:${repId} via Claude`]: 'Mia via Claude',
      'api-key': 'API key',
      'mcp:api-key': 'API key',
      [`key:${newId()}`]: 'API key',
    };
    const actors = [...Object.keys(expected), 'orchestrator', null, undefined];
    const names = await workspace.db.unitOfWork.run(workspace.admin, { lock: 'none', access: 'read' }, (tx) =>
      readActorNames(tx, actors),
    );
    expect(Object.fromEntries(names)).to.deep.equal(expected);
  });
});
