<?php

declare(strict_types=1);

namespace Acuse;

/**
 * Signed events of the service.
 *
 * @phpstan-import-type EventoWebhook from Eventos
 */
final class Webhook
{
    /** Seconds by which the clock of a webhook may differ. */
    private const TOLERANCE_SECONDS = 300;
    private const PREFIX = 'whsec_';

    /**
     * Checks a webhook by the Standard Webhooks scheme and reads it: `webhook-signature` has to hold, for one of the
     * secrets, the HMAC-SHA256 of `webhook-id`, `webhook-timestamp` and body; a webhook older or newer than five minutes
     * is refused. Comparisons take the same time whatever they find. Whoever gets the same `webhook-id` twice has to do
     * its work once.
     *
     * @param string $cuerpo The body byte for byte: read as JSON and written again it has another signature.
     * @param array<string, mixed> $encabezados As `getallheaders()` or PSR-7 give them, or `$_SERVER`; upper and lower case
     *     are the same.
     * @param string|list<string> $secretos One `whsec_…`, or several while one replaces the other.
     * @param int|null $ahora Seconds since 1970; the clock by default.
     * @return EventoWebhook a comparison of `type` with a constant of `Eventos` narrows `data`
     * @throws AcuseError `WEBHOOK_INVALIDO` with the reason
     * @throws \InvalidArgumentException for a secret that is none
     */
    public static function verificar(
        string $cuerpo,
        array $encabezados,
        #[\SensitiveParameter] string|array $secretos,
        ?int $ahora = null,
    ): array {
        $claves = array_map(self::claveDe(...), (array) $secretos);
        $encabezados = array_change_key_case($encabezados);
        $partes = [];
        foreach (['webhook-id', 'webhook-timestamp', 'webhook-signature'] as $nombre) {
            $enServidor = 'http_' . strtr($nombre, '-', '_');
            $valor = implode(' ', (array) ($encabezados[$nombre] ?? $encabezados[$enServidor] ?? ''));
            $partes[] = $valor === '' ? throw self::invalido("falta el encabezado $nombre") : $valor;
        }
        [$id, $hora, $firmas] = $partes;
        if (preg_match('/^\d{1,15}$/D', $hora) !== 1) {
            throw self::invalido('webhook-timestamp no es una hora');
        }
        if (abs(($ahora ?? time()) - (int) $hora) > self::TOLERANCE_SECONDS) {
            throw self::invalido('su hora difiere más de cinco minutos de la de este equipo');
        }
        $esFirmado = false;
        foreach ($claves as $clave) {
            $esperada = hash_hmac('sha256', "$id.$hora.$cuerpo", $clave, true);
            foreach (explode(' ', $firmas) as $firma) {
                $dada = str_starts_with($firma, 'v1,') ? base64_decode(substr($firma, 3), true) : false;
                $esFirmado = hash_equals($esperada, $dada === false ? '' : $dada) || $esFirmado;
            }
        }
        if (!$esFirmado) {
            throw self::invalido('ninguna de sus firmas es de un secreto de los dados');
        }
        $evento = json_decode($cuerpo, true);
        return is_array($evento) ? $evento : throw self::invalido('su cuerpo no es JSON');
    }

    private static function invalido(string $motivo): AcuseError
    {
        return new AcuseError(Errores::WEBHOOK_INVALIDO, datos: ['motivo' => $motivo]);
    }

    private static function claveDe(#[\SensitiveParameter] string $secreto): string
    {
        $clave = str_starts_with($secreto, self::PREFIX)
            ? base64_decode(substr($secreto, strlen(self::PREFIX)), true)
            : false;
        if ($clave === false || $clave === '') {
            throw new \InvalidArgumentException(
                'El secreto de un webhook es whsec_ y base64: cópielo como lo mostró el servicio.',
            );
        }
        return $clave;
    }
}
