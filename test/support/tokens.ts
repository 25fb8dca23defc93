import { newId } from '#src/kernel/ids.js';
import { newToken, type TokenKind, tokenHash } from '#src/platform/secrets/token.js';
import { type ApiClient, type TestService } from './test-service.js';

/** A client with a session of the rep, as after a sign-in, for any role. */
export function sessionOf(service: TestService, workspaceId: string, repId: string): Promise<ApiClient> {
  return clientWith(service, workspaceId, 'sess', repId);
}

/** A client with the token of a CRM widget. */
export function connectionOf(service: TestService, workspaceId: string): Promise<ApiClient> {
  return clientWith(service, workspaceId, 'conn', null);
}

async function clientWith(service: TestService, workspaceId: string, kind: 'sess' | 'conn', repId: string | null) {
  return service.client(await tokenOf(service, workspaceId, kind, repId));
}

/** A token that is valid for an hour. */
export async function tokenOf(
  service: TestService,
  workspaceId: string,
  kind: TokenKind,
  repId: string | null = null,
): Promise<string> {
  const token = newToken(kind);
  await service.running.service.unitOfWork.run({ workspaceId }, { lock: 'none', access: 'write' }, (trx) =>
    trx
      .insertInto('tokens')
      .values({
        workspace_id: workspaceId,
        token_id: newId(),
        kind,
        token_hash: tokenHash(token) as Buffer,
        rep_id: repId,
        expires_at: new Date(Date.now() + 3_600_000),
      })
      .execute(),
  );
  return token;
}
