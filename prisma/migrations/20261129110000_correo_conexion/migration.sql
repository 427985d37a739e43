-- A connect link may be mailed to its taxpayer.
ALTER TABLE correo DROP CONSTRAINT correo_tipo_check;
ALTER TABLE correo ADD CONSTRAINT correo_tipo_check CHECK (tipo IN ('correo.verificar', 'password.restablecer', 'password.cambiada', 'equipo.invitacion',
  'conexion.enlace', 'solicitud.terminada', 'solicitud.fallida', 'credencial.por_vencer'));
