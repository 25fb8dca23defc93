/** Where the lines of a deal come from. Those of the API count before those of the CRM. */
export type LineSource = 'api' | 'crm';
