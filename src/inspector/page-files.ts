/**
 * The files of the page, by name. The page is compiled and bundled for browsers, so there are none
 * until the build puts a module with their texts in this one's place (scripts/build/inspector-page.js).
 */
export const PAGE_FILES: ReadonlyMap<string, string> = new Map()
