import { expect } from 'chai';
import { type Caller, peopleBehind } from '#src/kernel/caller.js';

const request = { workspaceId: 'w', accessLevel: 'admin', actor: 'x', requestId: 'r' } as const;

describe('the people behind a request', () => {
  const callers: readonly (readonly [what: string, caller: Caller, people: readonly string[]])[] = [
    ['the person of a session', { ...request, repId: 'ann' }, ['ann']],
    ['who created the key', { ...request, repId: null, keyCreatorId: 'ann' }, ['ann']],
    ['nobody for a key of the command line', { ...request, repId: null }, []],
    ['who approved the request of an agent, too', { ...request, repId: 'ann', approvedBy: 'bob' }, ['ann', 'bob']],
    ['who approved the request of a key', { ...request, repId: null, approvedBy: 'bob' }, ['bob']],
  ];
  for (const [what, caller, people] of callers)
    it(`are ${what}`, () => expect(peopleBehind(caller)).to.deep.equal(people));
});
