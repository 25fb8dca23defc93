import { type Caller, type KeyScope } from './caller.js';

/** Who requested work that a job does later. The parts of the job are recorded as parts of their request. */
export interface StoredCaller
  extends Pick<Caller, 'accessLevel' | 'repId' | 'keyCreatorId' | 'actor' | 'requestId' | 'tokenId' | 'tokenKind'> {
  readonly scopes?: readonly KeyScope[];
}

export function toStoredCaller(caller: Caller): StoredCaller {
  const { accessLevel, repId, keyCreatorId, scopes, actor, requestId, tokenId, tokenKind } = caller;
  return {
    accessLevel,
    repId,
    actor,
    requestId,
    ...(keyCreatorId === undefined ? {} : { keyCreatorId }),
    ...(tokenId === undefined ? {} : { tokenId }),
    ...(tokenKind === undefined ? {} : { tokenKind }),
    ...(scopes === undefined ? {} : { scopes: [...scopes] }),
  };
}
