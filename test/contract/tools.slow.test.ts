import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { describeService } from '#src/app/describe-service.js';
import { installTestTools } from '#test/support/test-tools.js';

const run = promisify(execFile);

/** What each generator makes of the document, and a program that uses it. */
const generators: Readonly<Record<string, { readonly command: readonly string[]; readonly program: string }>> = {
  'openapi-typescript': {
    command: ['openapi-typescript', 'openapi.json', '-o', 'client.ts'],
    program: `import type { paths } from './client.js';
type Body = NonNullable<paths['/v1/plans']['post']['requestBody']>['content']['application/json'];
const body: Body = { name: 'AE', config: { rules: [] } };
console.log(body);`,
  },
  '@hey-api/openapi-ts': {
    command: ['openapi-ts', '-i', 'openapi.json', '-o', 'client', '-c', '@hey-api/client-fetch'],
    program: `import { createPlan } from './client/index.js';
const { data } = await createPlan({ body: { name: 'AE', config: { rules: [] } } });
console.log(data?.planId);`,
  },
  orval: {
    command: ['orval', '--input', 'openapi.json', '--output', 'client.ts', '--client', 'fetch'],
    program: `import { createPlan } from './client.js';
const response = await createPlan({ name: 'AE', config: { rules: [] } });
console.log(response.status);`,
  },
  'swagger-typescript-api': {
    command: ['swagger-typescript-api', 'generate', '-p', 'openapi.json', '-o', '.', '-n', 'client.ts'],
    program: `import { Api } from './client.js';
const { data } = await new Api().v1.createPlan({ name: 'AE', config: { rules: [] } });
console.log(data.planId);`,
  },
};

describe('the OpenAPI document in the tools of others', function () {
  this.timeout(600_000);
  let tools: string;
  let folder: string;

  before(async () => {
    tools = await installTestTools();
    folder = mkdtempSync(path.join(tmpdir(), 'openapi-'));
    writeFileSync(path.join(folder, 'openapi.json'), JSON.stringify(describeService('3.1')));
  });

  after(() => rmSync(folder, { recursive: true, force: true }));

  async function runTool(where: string, [tool = '', ...options]: readonly string[]): Promise<string> {
    try {
      const { stdout } = await run(path.join(tools, 'node_modules', '.bin', tool), options, {
        cwd: where,
        maxBuffer: 1e8,
      });
      return stdout;
    } catch (error) {
      const { stdout, stderr } = error as { stdout: string; stderr: string };
      throw new Error(`${tool} ${options.join(' ')}: ${`${stdout}${stderr}`.slice(0, 3000)}`);
    }
  }

  it('is clean for Redocly', async () => {
    cpSync(path.join(tools, 'redocly.yaml'), path.join(folder, 'redocly.yaml'));
    const report = await runTool(folder, ['redocly', 'lint', 'openapi.json', '--format=json']);
    expect(JSON.parse(report).problems).to.deep.equal([]);
  });

  it('is clean for Spectral', async () => {
    const ruleset = path.join(tools, 'spectral.yaml');
    const report = await runTool(folder, ['spectral', 'lint', 'openapi.json', '-r', ruleset, '-f', 'json', '-q']);
    expect(JSON.parse(report || '[]')).to.deep.equal([]);
  });

  for (const [name, { command, program }] of Object.entries(generators))
    it(`compiles with ${name}, with its defaults`, async () => {
      const project = path.join(folder, name.replace('/', '-'));
      mkdirSync(project);
      cpSync(path.join(folder, 'openapi.json'), path.join(project, 'openapi.json'));
      symlinkSync(path.join(tools, 'node_modules'), path.join(project, 'node_modules'));
      writeFileSync(path.join(project, 'package.json'), '{ "type": "module" }');
      await runTool(project, command);
      writeFileSync(path.join(project, 'program.ts'), program);
      const options = {
        strict: true,
        noEmit: true,
        target: 'es2023',
        lib: ['es2023', 'dom', 'dom.iterable'],
        types: [],
      };
      const compilerOptions = { ...options, module: 'esnext', moduleResolution: 'bundler', skipLibCheck: true };
      writeFileSync(path.join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }));
      await runTool(project, ['tsc', '-p', 'tsconfig.json']);
    });
});
