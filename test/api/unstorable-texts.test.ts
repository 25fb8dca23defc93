import { expect } from 'chai';
import { forAgents, redirectUri } from '#test/agents/access/oauth-fixture.js';
import { Service } from '#test/support/service.js';

/** Routes that are no operations and need no token, with their parameters. */
const routes: readonly { readonly request: string; readonly parameters: readonly string[] }[] = [
  { request: 'GET /sign-in', parameters: ['next'] },
  { request: 'POST /sign-in', parameters: ['email', 'next'] },
  { request: 'POST /sign-in/code', parameters: ['email', 'code', 'nonce', 'workspaceId', 'next'] },
  ...['crmb', 'crmc'].flatMap((crm) => [
    { request: `GET /auth/${crm}/authorize`, parameters: ['start'] },
    { request: `GET /auth/${crm}/callback`, parameters: ['state', 'code'] },
    { request: `POST /auth/${crm}/confirm`, parameters: ['grant', 'decision', 'token'] },
  ]),
  {
    request: 'GET /oauth/authorize',
    parameters: ['client_id', 'redirect_uri', 'response_type', 'code_challenge', 'scope', 'state', 'resource'],
  },
  {
    request: 'POST /oauth/token',
    parameters: ['grant_type', 'client_id', 'client_secret', 'code', 'code_verifier', 'redirect_uri', 'refresh_token'],
  },
  { request: 'POST /oauth/revoke', parameters: ['client_id', 'token', 'token_type_hint'] },
  { request: 'POST /oauth/register', parameters: ['client_name', 'redirect_uris', 'scope', 'client_uri'] },
];
/** What a valid request contains besides. */
const others: Readonly<Record<string, unknown>> = {
  grant_type: 'refresh_token',
  client_name: 'Agent',
  redirect_uris: [redirectUri],
  response_type: 'code',
  refresh_token: 'agr_x',
  client_id: 'x',
  token: 'x',
};
const unstorable = ['\u0000', 'a\u0000b', '\ud800', 'x\udfffy'];

describe('texts that cannot be stored', () => {
  const service = Service.duringSuite(forAgents);

  async function statusOf(request: string, parameter: string, text: string, asJson: boolean): Promise<number> {
    const [method = '', path = ''] = request.split(' ');
    const value = parameter === 'redirect_uris' ? [text] : text;
    const given = { ...others, [parameter]: value };
    const form = new URLSearchParams(
      Object.entries(given).map(([name, item]): [string, string] => [name, String(item)]),
    );
    const headers = { 'Sec-Fetch-Site': 'same-origin', 'X-Requested-By': 'test' };
    if (method === 'GET') return (await fetch(`${service.url}${path}?${form}`, { headers, redirect: 'manual' })).status;
    const body = asJson ? JSON.stringify(given) : form;
    const type: Record<string, string> = asJson ? { 'Content-Type': 'application/json' } : {};
    const sent = { method, headers: { ...headers, ...type }, body, redirect: 'manual' } as const;
    return (await fetch(`${service.url}${path}`, sent)).status;
  }

  for (const { request, parameters } of routes)
    it(`are no error of the service in ${request}`, async () => {
      const failed: string[] = [];
      for (const parameter of parameters)
        for (const text of unstorable)
          for (const asJson of [false, true]) {
            const status = await statusOf(request, parameter, text, asJson);
            if (status >= 500) failed.push(`${parameter} = ${JSON.stringify(text)}: ${status}`);
          }
      expect(failed).to.deep.equal([]);
    });

  it('are rejected by the authorization server as invalid requests', async () => {
    for (const [path, parameter] of [
      ['token', 'client_id'],
      ['revoke', 'token'],
      ['register', 'client_name'],
    ] as const) {
      const body = JSON.stringify({ ...others, [parameter]: 'a\u0000b' });
      const headers = { 'Content-Type': 'application/json' };
      const response = await fetch(`${service.url}/oauth/${path}`, { method: 'POST', headers, body });
      expect([response.status, await response.json()], path).to.deep.equal([
        400,
        { error: 'invalid_request', error_description: `${parameter}: contains characters that cannot be stored` },
      ]);
    }
  });
});
