/** The id of an unsaved plan and version, and the prefix of their rule ids. */
export const unsaved = '00000000-0000-4000-8000-000000000000';
