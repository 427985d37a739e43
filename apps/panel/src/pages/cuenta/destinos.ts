/** Where somebody arrives who has just logged in. */
export const INICIO = '/inicio';
