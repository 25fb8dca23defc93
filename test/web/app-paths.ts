import { readFileSync } from 'node:fs';
import { expect } from 'chai';

const routers = ['router.tsx', 'admin-routes.ts'].map((name) => `../../../web/src/app/${name}`);

/** The paths of the pages of the app, such as /plans/$planId. */
export const appPaths: readonly string[] = routers.flatMap((file) =>
  [...readFileSync(new URL(file, import.meta.url), 'utf8').matchAll(/\bpage\('([^']+)'/g)].map(([, path = '']) => path),
);

/** The path with its parts, such as `planId`. */
export function addressOf(path: string, parts: Readonly<Record<string, string>>): string {
  return path.replace(/\$(\w+)/g, (_, name: string) => parts[name] ?? expect.fail(`no address for ${path}`));
}

/** Whether an admin, who earns nothing, has the page. */
export function isOfAdmin(path: string): boolean {
  return !/^\/me(\/|$)/.test(path);
}
