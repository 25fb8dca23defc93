import { type z } from 'zod';
import { Html, html } from '../../../platform/documents/html.js';
import { type BrowserSessions } from '../../../platform/http/browser-sessions.js';
import { hiddenField, type Page } from '../../../platform/http/page.js';
import { type ProviderButton } from '../oidc/identity-providers.js';
import { type getProfile } from '../queries/get-profile.js';

export type Profile = z.output<(typeof getProfile)['response']>;
type Place = Pick<BrowserSessions, 'basePath'>;

interface Entered {
  readonly email: string;
  /** The page to continue with after the sign-in; null for the first page. */
  readonly next: string | null;
  readonly code?: string;
  /** Nonce of the request for the code. */
  readonly nonce?: string | undefined;
}

export interface Workspace {
  readonly workspaceId: string;
  readonly name: string;
}

const nothing = new Html('');

function alert(message: string | undefined): Html {
  return message === undefined ? nothing : html`<p class="error" role="alert" id="problem">${message}</p>`;
}

export function emailPage(
  { email, next }: Entered,
  { basePath }: Place,
  providers: readonly ProviderButton[],
  message?: string,
): Page {
  const links = providers.map(
    ({ id, name }) =>
      html`<p><a href="${basePath}/auth/oidc/login${id === null ? '' : `?provider=${id}`}">Sign in with ${id === null ? 'your identity provider' : name}</a></p>`,
  );
  const invalid = message === undefined ? nothing : new Html('aria-invalid="true" aria-describedby="problem"');
  const body = html`${alert(message)}
<form method="post" action="${basePath}/sign-in">
${hiddenField('next', next)}
<label for="email">E-mail address</label>
<input type="email" id="email" name="email" value="${email}" required autofocus autocomplete="email" ${invalid}>
<button>Send code</button>
</form>
${links}`;
  return { title: 'Sign in', body };
}

/** Asks for the code; if the right code belongs to people of several workspaces, for one of these. */
export function codePage(
  { email, next, code, nonce }: Entered,
  { basePath }: Place,
  { message, workspaces }: { readonly message?: string; readonly workspaces?: readonly Workspace[] } = {},
): Page {
  const body = html`${alert(message)}
<form method="post" action="${basePath}/sign-in/code">
${hiddenField('next', next)}
${hiddenField('email', email)}
${hiddenField('nonce', nonce)}
${workspaces === undefined ? codeField(email, message !== undefined) : html`${hiddenField('code', code)}${choice(workspaces)}`}
<button>Sign in</button>
</form>
<p class="hint"><a href="${basePath}/sign-in">Start again</a></p>`;
  return { title: workspaces === undefined ? 'Enter the code' : 'Choose a workspace', body };
}

function codeField(email: string, isWrong: boolean): Html {
  const invalid = isWrong
    ? new Html('aria-invalid="true" aria-describedby="problem hint"')
    : new Html('aria-describedby="hint"');
  return html`<p id="hint">If ${email} belongs to an account, a code of six digits was sent to it. It is valid for ten minutes.</p>
<label for="code">Code</label>
<input type="text" id="code" name="code" required autofocus inputmode="numeric" autocomplete="one-time-code" maxlength="20" ${invalid}>`;
}

function choice(workspaces: readonly Workspace[]): Html {
  const options = workspaces.map(
    ({ workspaceId, name }) =>
      html`<label><input type="radio" name="workspaceId" value="${workspaceId}" required> ${name}</label>`,
  );
  return html`<fieldset class="choice"><legend>Workspace</legend>${options}</fieldset>`;
}

/** A page with a link and no redirect: browsers apply `form-action` of the form's page to redirects of its response too. */
export function signedInPage(email: string, next: string, { basePath }: Place): Page {
  const body = html`<p>You are signed in as ${email}.</p>
<p><a href="${basePath}${next}">Continue</a></p>`;
  return { title: 'Signed in', body };
}

export function homePage({ name, email, role, workspace }: Profile, { basePath }: Place, token: string): Page {
  const body = html`<dl>
<dt>Signed in as</dt><dd>${name}${email === null ? '' : ` (${email})`}</dd>
<dt>Role</dt><dd>${role ?? 'none'}</dd>
<dt>Workspace</dt><dd>${workspace.name}</dd>
</dl>
<p><a href="${basePath}/">Open the app</a></p>
<p><a href="${basePath}/docs">API reference</a></p>
<form method="post" action="${basePath}/sign-out">
${hiddenField('token', token)}
<button class="quiet">Sign out</button>
</form>`;
  return { title: workspace.name, body };
}
