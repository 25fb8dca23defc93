import { type Request, type Response } from 'express';
import { loopbackHosts } from '../outbound/public-address.js';

const valuePattern = /^[\w.-]{1,200}$/;

/**
 * Cookies that no script can read and that other sites send only with navigation. They are `Secure`, with the prefix
 * `__Host-`, except on this machine without TLS: another host of the same domain cannot set or replace them.
 */
export class Cookies {
  private readonly overTls: boolean;

  constructor(publicUrl: string | undefined) {
    this.overTls = publicUrl?.startsWith('https://') === true;
  }

  read(request: Request, name: string): string | null {
    const full = `${this.toCookieName(request, name)}=`;
    const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim());
    const value = pairs.find((pair) => pair.startsWith(full))?.slice(full.length);
    return value !== undefined && valuePattern.test(value) ? value : null;
  }

  set(response: Response, name: string, value: string, expires: Date): void {
    response.cookie(this.toCookieName(response.req, name), value, { ...this.terms(response.req), expires });
  }

  clear(response: Response, name: string): void {
    response.clearCookie(this.toCookieName(response.req, name), this.terms(response.req));
  }

  private terms(request: Request) {
    return { path: '/', httpOnly: true, sameSite: 'lax', secure: this.isSecure(request) } as const;
  }

  private toCookieName(request: Request, name: string): string {
    return this.isSecure(request) ? `__Host-${name}` : name;
  }

  private isSecure(request: Request): boolean {
    const host = (request.headers.host ?? '').replace(/:\d+$/, '').toLowerCase();
    return this.overTls || request.secure || !loopbackHosts.includes(host);
  }
}
