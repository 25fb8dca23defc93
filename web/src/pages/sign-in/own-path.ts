const own = 'https://own.invalid';

/** The path to return to after signing in; that of the first page for an address that may lead to another host. */
export function ownPath(next: string | undefined): string {
  if (next?.startsWith('/') !== true) return '/';
  try {
    const { origin, pathname, search, hash } = new URL(next, own);
    return origin === own && !pathname.startsWith('//') ? `${pathname}${search}${hash}` : '/';
  } catch {
    return '/';
  }
}
