import type MiniSearch from 'minisearch';
import type { Options, SearchResult } from 'minisearch';

export declare const OPTIONS: Options;
export declare function find(index: MiniSearch, question: string): SearchResult[];
