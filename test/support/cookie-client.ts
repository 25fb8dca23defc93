export interface OpenedPage {
  readonly status: number;
  /** Path and query, relative to the service, after redirects within the service. */
  readonly url: string;
  readonly headers: Headers;
  readonly text: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** An HTTP client with the cookies, redirects and forms that the pages without scripts need. */
export class CookieClient {
  readonly received: string[] = [];
  private readonly cookies = new Map<string, string>();

  constructor(private readonly url: string) {}

  cookie(name: string): string | null {
    return this.cookies.get(name) ?? null;
  }

  setCookie(name: string, value: string): void {
    this.cookies.set(name, value);
  }

  /** One request without following redirects. */
  async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    if (this.cookies.size > 0) headers.set('Cookie', [...this.cookies].map((pair) => pair.join('=')).join('; '));
    const response = await fetch(new URL(path, this.url), { ...init, headers, redirect: 'manual' });
    for (const text of response.headers.getSetCookie()) this.store(text);
    return response;
  }

  async open(path: string): Promise<OpenedPage> {
    return this.follow(path, await this.fetch(path));
  }

  async submit(path: string, fields: Readonly<Record<string, string>>): Promise<OpenedPage> {
    const headers = { 'Sec-Fetch-Site': 'same-origin' };
    return this.follow(path, await this.fetch(path, { method: 'POST', body: new URLSearchParams(fields), headers }));
  }

  async signIn(email: string, readCode: () => Promise<string>): Promise<OpenedPage> {
    const requested = await this.submit('/sign-in', { email });
    return this.submit('/sign-in/code', { ...requested.fields, code: await readCode() });
  }

  private async follow(path: string, response: Response): Promise<OpenedPage> {
    const location = response.headers.get('location');
    if (location !== null && new URL(location, this.url).origin === this.url) return this.open(location);
    const text = await response.text();
    const hidden = text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g);
    const fields = Object.fromEntries([...hidden].map(([, name, value]) => [name as string, value as string]));
    return { status: response.status, url: location ?? path, headers: response.headers, text, fields };
  }

  private store(text: string): void {
    this.received.push(text);
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(text) ?? [];
    if (value === '' || /expires=Thu, 01 Jan 1970/i.test(text)) this.cookies.delete(name);
    else this.cookies.set(name, value);
  }
}
