import { type PreviewedBy } from '../platform/mcp/tool.js';

/** Parts of a change that the preview has no use for. */
const omitted: readonly string[] = ['name', 'latestVersion', 'force'];

/** The preview of a change of a plan; none for a change of the name alone. */
export const previewedChange: PreviewedBy = {
  tool: 'preview_plan_change',
  input: ({ params, body }, days) => {
    const changedFields = Object.entries(body as object).filter(
      ([name, value]) => value !== undefined && !omitted.includes(name),
    );
    if (changedFields.length === 0) return null;
    return { params, query: {}, body: { ...Object.fromEntries(changedFields), ...days, limit: 1 } };
  },
};
