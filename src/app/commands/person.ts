import { eraseAtCommandLine } from '../../people/reps/erase-person.js';
import { assertWorkspace, withUnitOfWork } from './database-access.js';
import { assertWorkspaceId } from './usage-error.js';

export async function erasePerson(
  workspaceId: string,
  person: string,
  { yes = false, json = false }: { readonly yes?: boolean; readonly json?: boolean },
): Promise<void> {
  assertWorkspaceId(workspaceId);
  const erasure = await withUnitOfWork(async (unitOfWork) => {
    await assertWorkspace(unitOfWork, workspaceId);
    return eraseAtCommandLine(unitOfWork, { workspaceId, actor: 'command-line' }, person, !yes);
  });
  const lines = Object.entries(erasure.rows).map(([name, count]) => `${name.padEnd(20)} ${count}\n`);
  process.stdout.write(json ? `${JSON.stringify({ ...erasure, erased: yes })}\n` : lines.join(''));
  if (!yes) process.stderr.write('Nothing was erased. Add --yes to erase; this cannot be undone.\n');
}
