export { createFactsReader, type Facts, type Reader } from './facts.ts';
export { MOTIVOS, type Motivo, XmlIlegible } from './ilegible.ts';
export { type Column, type ColumnType, TABLES, type Table } from './tablas/columns.ts';
export { createRowsReader, type FactsAndRows, type Row, type Rows } from './tablas/rows.ts';
