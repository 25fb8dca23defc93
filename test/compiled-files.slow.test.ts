import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folders = ['src', 'workers', 'migrations', 'embedded-postgres', 'fakes', 'demo', 'test', 'bench', 'packages'];

describe('the files in TypeScript', () => {
  it('belong to a project, so that the types of each are checked', () => {
    const compiled = new Set(
      ['.', 'web'].flatMap((project) =>
        execFileSync('node_modules/.bin/tsc', ['--project', project, '--listFilesOnly'], {
          cwd: root,
          encoding: 'utf8',
        })
          .split('\n')
          .map((file) => path.relative(root, file)),
      ),
    );
    const written = [...folders, 'web/src'].flatMap((folder) =>
      readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => /\.tsx?$/.test(name) && !/\bnode_modules\b/.test(name))
        .map((name) => path.join(folder, name)),
    );
    expect(written.length).to.be.greaterThan(2000);
    expect(written.filter((file) => !compiled.has(file))).to.deep.equal([]);
  });
});
